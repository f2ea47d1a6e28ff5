// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {GatewayHandler} from "./GatewayHandler.sol";

contract GatewayInvariants is Invariant {
    GatewayHandler private handler;

    function setUp() public {
        handler = new GatewayHandler();
    }

    /// In one campaign, because each campaign makes the same calls. Here money is minted first: what is in flight exists
    /// twice until it is burned.
    function invariant_whatIsMintedIsBurnedOnceAndWalletsHoldTheirBalances() public view {
        uint256 inFlight = handler.amountInFlight();
        vm.assertEq(handler.minted(), handler.burned() + inFlight, "minted = burned + in flight");
        vm.assertEq(handler.supply(), handler.issued() + inFlight, "supply of all chains without what is in flight");
        vm.assertEq(handler.collectedFees(), handler.fees(), "fees");
        vm.assertTrue(handler.walletsHoldTheirBalances(), "balances");
        vm.assertEq(handler.mintedWithoutAttestation(), 0, "minted without an attestation");
        vm.assertEq(handler.burnedWithoutSignature(), 0, "burned without a signature");
        vm.assertEq(handler.doneTwice(), 0, "done twice");
        vm.assertEq(handler.withdrawnEarly(), 0, "withdrawn before its time");
        vm.assertEq(handler.trapped(), 0, "not withdrawn in its time");
        vm.assertEq(handler.movedInPause(), 0, "burned in a pause");
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](8);
        chosen[0] = handler.deposit.selector;
        chosen[1] = handler.mint.selector;
        chosen[2] = handler.burn.selector;
        chosen[3] = handler.initiateWithdrawal.selector;
        chosen[4] = handler.withdraw.selector;
        chosen[5] = handler.attemptReplay.selector;
        chosen[6] = handler.attemptForgery.selector;
        chosen[7] = handler.withdrawInPause.selector;
    }
}
