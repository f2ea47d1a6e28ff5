// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {EscrowHandler} from "./EscrowHandler.sol";

contract TripEscrowInvariants is Invariant {
    EscrowHandler private handler;

    function setUp() public {
        handler = new EscrowHandler();
    }

    /// In one campaign, because each campaign makes the same calls. What takes longer to look through is looked through at
    /// the end of each run.
    function invariant_theMoneyIsThereAndWhatMustNotHappenDoesNot() public view {
        vm.assertEq(handler.endedTwice(), 0, "ended twice");
        vm.assertEq(handler.claimedTwice(), 0, "claimed twice");
        vm.assertEq(handler.overspent(), 0, "overspent");
        vm.assertEq(handler.operatedByStrangers(), 0, "operated by a stranger");
        vm.assertEq(handler.releasedEarly(), 0, "released early");
        requireTheMoneyIsThere();
        if (handler.touched() != 0) handler.requireTripInOrder(handler.touched());
    }

    /// After each run the operator never comes back. Nobody who is blocked is in anybody's way, and in the end not a unit
    /// is left but what was sent by mistake.
    function afterInvariant() public {
        requireOrder();
        handler.endEverything();
        requireOrder();
        (uint256 free, uint256 held,) = handler.sums();
        vm.assertEq(free + held, 0, "all is ended");
        handler.payEverybody();
        requireOrder();
        (uint256 balance, uint256 liability) = handler.balanceAndLiability();
        vm.assertEq(liability, 0, "all is paid");
        vm.assertEq(balance, handler.donated(), "what is left was sent by mistake");
    }

    function requireOrder() private view {
        requireTheMoneyIsThere();
        (uint256 free, uint256 held, uint256 waiting) = handler.sums();
        (, uint256 liability) = handler.balanceAndLiability();
        vm.assertEq(free + held + waiting, liability, "liability");
        handler.requireTripsInOrder();
        handler.requireEverybodyHasHis();
    }

    /// To the last unit: what is in the escrow is owed to somebody or was sent there by mistake.
    function requireTheMoneyIsThere() private view {
        (uint256 balance, uint256 liability) = handler.balanceAndLiability();
        vm.assertEq(balance, liability + handler.donated(), "balance");
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](21);
        chosen[0] = handler.fund.selector;
        chosen[1] = handler.claim.selector;
        chosen[2] = handler.reserveSome.selector;
        chosen[3] = handler.commitSome.selector;
        chosen[4] = handler.confirmSome.selector;
        chosen[5] = handler.settleSome.selector;
        chosen[6] = handler.cancelSome.selector;
        chosen[7] = handler.logSome.selector;
        chosen[8] = handler.closeSome.selector;
        chosen[9] = handler.releaseSome.selector;
        chosen[10] = handler.releaseBookingSome.selector;
        chosen[11] = handler.takeBackReservation.selector;
        chosen[12] = handler.blockOrPay.selector;
        chosen[13] = handler.changeFeeRecipient.selector;
        chosen[14] = handler.donate.selector;
        chosen[15] = handler.attemptSecondEnd.selector;
        chosen[16] = handler.attemptSecondClaim.selector;
        chosen[17] = handler.attemptOverspending.selector;
        chosen[18] = handler.attemptWithoutTheOperator.selector;
        chosen[19] = handler.attemptEarlyRelease.selector;
        chosen[20] = handler.returnSome.selector;
    }
}
