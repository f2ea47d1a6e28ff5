// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {BridgeHandler} from "./BridgeHandler.sol";

contract BridgeInvariants is Invariant {
    BridgeHandler private handler;

    function setUp() public {
        handler = new BridgeHandler();
    }

    /// In one campaign, because each campaign makes the same calls.
    function invariant_moneyIsMintedOnceAndOnlyForABurn() public view {
        uint256 inFlight = handler.amountInFlight();
        vm.assertEq(
            handler.burned(), handler.minted() + inFlight + handler.fees(), "burned = minted + in flight + fees"
        );
        vm.assertEq(handler.supply() + inFlight, handler.issued(), "supply of all chains and what is in flight");
        vm.assertTrue(handler.suppliesAreExpected(), "supply of each chain");
        vm.assertEq(handler.collectedFees(), handler.fees(), "fees");
        vm.assertEq(handler.heldByContracts(), 0, "money in the contracts");
        vm.assertEq(handler.mintedWithoutAttestation(), 0, "minted without an attestation");
        vm.assertEq(handler.mintedTwice(), 0, "minted twice");
        vm.assertEq(handler.mintedLate(), 0, "minted after expiry");
        vm.assertEq(handler.movedInPause(), 0, "minted in a pause");
    }

    function afterInvariant() public view {
        vm.assertEq(handler.usedNonces(), handler.deliveries(), "one nonce for each delivery");
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](10);
        chosen[0] = handler.burn.selector;
        chosen[1] = handler.sendBack.selector;
        chosen[2] = handler.deliverFinalized.selector;
        chosen[3] = handler.deliverFast.selector;
        chosen[4] = handler.deliverAfterExpiry.selector;
        chosen[5] = handler.attemptReplay.selector;
        chosen[6] = handler.attemptOtherDomain.selector;
        chosen[7] = handler.attemptForgery.selector;
        chosen[8] = handler.attemptMint.selector;
        chosen[9] = handler.deliverAfterPause.selector;
    }
}
