// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StablecoinFixture} from "./support/StablecoinFixture.sol";
import {vm} from "./support/Vm.sol";

contract StablecoinPermitTest is StablecoinFixture {
    event Approval(address indexed owner, address indexed spender, uint256 value);

    bytes private constant BAD_SIGNATURE = "EIP2612: invalid signature";

    function testFuzz_permitsOnce(uint256 value, uint256 delaySeconds) public {
        uint256 deadline = NOW + (delaySeconds % 365 days);
        bytes memory signature = packed(ALICE_KEY, permitHash(ALICE, BOB, value, 0, deadline));
        vm.expectEmit(address(token));
        emit Approval(ALICE, BOB, value);
        token.permit(ALICE, BOB, value, deadline, signature);
        vm.assertEq(token.allowance(ALICE, BOB), value, "allowance");
        vm.assertEq(token.nonces(ALICE), 1, "nonce");
        vm.expectRevert(BAD_SIGNATURE);
        token.permit(ALICE, BOB, value, deadline, signature);
    }

    function test_takesVrsAndEndlessDeadlines() public {
        uint256 never = type(uint256).max;
        (uint8 v, bytes32 r, bytes32 s) = signStruct(ALICE_KEY, permitHash(ALICE, BOB, 5, 0, never));
        token.permit(ALICE, BOB, 5, never, v, r, s);
        vm.assertEq(token.allowance(ALICE, BOB), 5, "allowance");
    }

    function test_expiresAfterItsDeadline() public {
        bytes memory signature = packed(ALICE_KEY, permitHash(ALICE, BOB, 5, 0, NOW));
        vm.warp(NOW + 1);
        vm.expectRevert("FiatTokenV2: permit is expired");
        token.permit(ALICE, BOB, 5, NOW, signature);
        vm.warp(NOW);
        token.permit(ALICE, BOB, 5, NOW, signature);
    }

    function test_refusesWhatWasNotSigned() public {
        bytes memory signature = packed(ALICE_KEY, permitHash(ALICE, BOB, 5, 0, NOW));
        vm.expectRevert(BAD_SIGNATURE);
        token.permit(ALICE, BOB, 6, NOW, signature);
        vm.expectRevert(BAD_SIGNATURE);
        token.permit(ALICE, CAROL, 5, NOW, signature);
        vm.expectRevert(BAD_SIGNATURE);
        token.permit(BOB, CAROL, 5, NOW, signature);
        vm.expectRevert(BAD_SIGNATURE);
        token.permit(ALICE, BOB, 5, NOW + 1, signature);
        signature = packed(ALICE_KEY, permitHash(ALICE, BOB, 5, 1, NOW));
        vm.expectRevert(BAD_SIGNATURE);
        token.permit(ALICE, BOB, 5, NOW, signature);
        signature = packed(ALICE_KEY, permitHash(ALICE, address(0), 5, 0, NOW));
        vm.expectRevert("ERC20: approve to the zero address");
        token.permit(ALICE, address(0), 5, NOW, signature);
        vm.assertEq(token.nonces(ALICE), 0, "a refused permit uses no nonce");
    }

    function test_aWalletWithCodePermits() public {
        address owner = address(wallet);
        token.permit(owner, BOB, 5, NOW, packed(KEEPER_KEY, permitHash(owner, BOB, 5, 0, NOW)));
        vm.assertEq(token.allowance(owner, BOB), 5, "allowance");
    }
}
